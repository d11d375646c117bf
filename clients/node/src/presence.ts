import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { JsonObject, Session, SettingsFormat } from "./wire.js";

interface Document {
  format: SettingsFormat;
  /** Undefined if the file is there and cannot be read here: then the server has to look. */
  root: JsonObject | undefined;
}

/**
 * Whether a session may have hooks at all. Only a sure no is a no: it saves a process, and everything else is the server's
 * to say.
 */
export async function mayHaveHooks(session: Session): Promise<boolean> {
  if (session.enableHooks === false) return false;
  if (session.hookrailToml || (session.packs?.length ?? 0) > 0) return true;
  const documents = [...inMemory(session), ...(await inFiles(session))];
  if (documents.some(({ root }) => root === undefined)) return true;
  const fromExtensions = (session.extensions ?? []).some(({ active, hooks }) => active !== false && hasEntries(hooks));
  if (!fromExtensions && !documents.some(({ root }) => hasEntries(root?.hooks))) return false;
  return session.enableHooks === true || documents.some(mayBeOn);
}

/** Whether settings may run hooks: some agents run them unless told otherwise, the others only if told to. */
function mayBeOn({ format, root }: Document): boolean {
  if (format === "gemini" || format === "claude") return hasEntries(root?.hooks);
  const says = (holder: unknown, key: string) => isObject(holder) && holder[key] === true;
  return says(root, "enableHooks") || says(root?.hooksConfig, "enabled") || says(root?.hooks, "enabled");
}

function inMemory({ settings }: Session): Document[] {
  if (settings === undefined) return [];
  if (!Array.isArray(settings)) return [{ format: "protocol", root: settings }];
  return settings.map(({ format, settings }) => ({ format: format ?? "protocol", root: settings }));
}

async function inFiles({ settingsFiles, cwd }: Session): Promise<Document[]> {
  const files = (settingsFiles ?? []).map((file) => (typeof file === "string" ? { path: file } : file));
  const read = async (file: { path: string; format?: SettingsFormat }): Promise<Document[]> => {
    const format = file.format ?? "protocol";
    try {
      const text = await readFile(isAbsolute(file.path) ? file.path : join(cwd, file.path), "utf8");
      const root: unknown = text.trim() === "" ? {} : JSON.parse(text);
      return [{ format, root: isObject(root) ? root : undefined }];
    } catch (error) {
      // A file that does not exist configures nothing.
      return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : [{ format, root: undefined }];
    }
  };
  return (await Promise.all(files.map(read))).flat();
}

function hasEntries(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
