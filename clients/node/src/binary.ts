import { createRequire } from "node:module";
import { here } from "./here.js";

/** The packages that bring the binary for one platform, by `process.platform` and `process.arch`. */
export function platformPackage(platform: string = process.platform, arch: string = process.arch): string {
  return `@hookrail/${platform}-${arch}`;
}

/**
 * The program to start: what the caller names, else `HOOKRAIL_BIN`, else the package for this platform if it is
 * installed, else `hookrail` from the search path.
 */
export function findBinary(named: string | undefined, env: Record<string, string | undefined>): string {
  if (named) return named;
  if (env.HOOKRAIL_BIN) return env.HOOKRAIL_BIN;
  return fromPlatformPackage() ?? "hookrail";
}

function fromPlatformPackage(): string | undefined {
  const suffix = process.platform === "win32" ? ".exe" : "";
  try {
    return createRequire(here).resolve(`${platformPackage()}/bin/hookrail${suffix}`);
  } catch {
    return undefined;
  }
}
