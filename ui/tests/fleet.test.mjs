// The page over all machines in a real browser: real hooks write, `hookrail sync` ships, a PostgreSQL of the test's own answers.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Machine, closeBrowser, openPage } from "./harness.mjs";

const VERSIONS = "/usr/lib/postgresql";

function run(program, args, options = {}) {
  const done = spawnSync(program, args, { encoding: "utf8", cwd: "/", ...options });
  assert.equal(done.status, 0, `${program} ${args.join(" ")}: ${done.error ?? done.stdout + done.stderr}`);
  return done.stdout?.trim();
}

/** A server in a folder of its own, reached by a socket; PostgreSQL refuses to run as root. */
class Cluster {
  constructor(version) {
    this.programs = join(VERSIONS, String(version), "bin");
    this.folder = mkdtempSync("/tmp/hr-pg");
    this.data = join(this.folder, "data");
    this.isRoot = process.getuid() === 0;
    if (this.isRoot) chownSync(this.folder, Number(run("id", ["-u", "postgres"])), -1);
    this.as(`initdb -D ${this.data} -A trust -U postgres -E UTF8 --locale=C --no-sync`);
    this.as(`pg_ctl -D ${this.data} -o '-k ${this.folder} -c fsync=off -c listen_addresses=' -l ${this.folder}/log -w start`);
  }

  static start() {
    const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map(Number).sort((one, other) => other - one) : [];
    return versions.length === 0 ? undefined : new Cluster(versions[0]);
  }

  as(command) {
    const line = join(this.programs, command);
    // The server must not keep a pipe of the test open.
    const options = { stdio: "ignore" };
    return this.isRoot ? run("su", ["postgres", "-s", "/bin/sh", "-c", line], options) : run("sh", ["-c", line], options);
  }

  address(user) {
    return `postgres://${user}@/postgres?host=${this.folder}`;
  }

  sql(statement) {
    return run(join(this.programs, "psql"), ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement, this.address("postgres")]);
  }

  stop() {
    this.as(`pg_ctl -D ${this.data} -m immediate -w stop`);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let cluster;
after(async () => {
  await closeBrowser();
  cluster?.stop();
});

/** A machine of the fleet, whose person has done this. */
function member(person, commands) {
  const machine = new Machine({ USER: person });
  machine.write("home/.config/hookrail/hookrail.toml", `[fleet]\ndatabase = "${cluster.address("writer")}"\n`);
  const project = machine.folder(`work/${person}s-shop`);
  const act = (command) => {
    machine.hook(project, command, { session_id: `session-${person}` });
    const shipped = machine.run(["sync"]);
    assert.equal(shipped.status, 0, shipped.stderr);
  };
  commands.forEach(act);
  return { machine, act };
}

test("a lead sees what happens on all machines, narrows it to a person and can change nothing", async (context) => {
  cluster = Cluster.start();
  if (cluster === undefined) {
    assert.notEqual(process.env.HOOKRAIL_TEST_TOOLS, "required", "there is no PostgreSQL on this machine");
    return context.skip("NOT RUN: there is no PostgreSQL on this machine (apt-get install -y postgresql)");
  }
  const lead = new Machine({ USER: "lead" });
  const migrated = lead.run(["fleet", "migrate", "--database", cluster.address("postgres")]);
  assert.equal(migrated.status, 0, migrated.stderr);
  cluster.sql("CREATE ROLE writer LOGIN IN ROLE hookrail_writer; CREATE ROLE lead LOGIN IN ROLE hookrail_reader");
  const ann = member("ann", ["rm -rf ~/a", "ls -l", "cat notes.txt"]);
  const bob = member("bob", ["git push --force origin main"]);
  const { address, origin } = await lead.ui({ args: ["--fleet", "--database", cluster.address("lead")] });
  const { page, context: tab, faults } = await openPage();
  await page.goto(address);
  const rows = page.locator(".event");
  const expect = (number) => page.waitForFunction((number) => document.querySelectorAll(".event").length === number, number);
  await expect(4);
  await page.locator(".banner", { hasText: "Read only: the page of a fleet changes nothing" }).waitFor();
  await page.locator(".session", { hasText: "claude · bob" }).waitFor();

  await page.getByRole("combobox", { name: "Person" }).selectOption("bob");
  await expect(1);
  await rows.first().locator("code", { hasText: "git push --force" }).waitFor();
  assert.match(page.url(), /person=bob/);
  // What happens while the page is open appears on it.
  bob.act("rm -rf ~/b");
  await expect(2);
  ann.act("ls other");
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(6);
  await page.locator("#search").fill("NOTES");
  await expect(1);
  await page.locator("#search").fill("");
  await page.getByRole("button", { name: "deny", exact: true }).click();
  await expect(3);

  await rows.filter({ hasText: "rm -rf ~/b" }).click();
  const detail = page.getByTestId("detail");
  await detail.getByText(/, bob/).waitFor();
  assert.match(await detail.innerText(), /safety\/delete-outside/);
  assert.equal(await detail.getByRole("button", { name: /allow/i }).count(), 0, "an exception belongs into a policy");

  await page.goto(`${origin}/overview?days=7`);
  await page.locator(".tile", { hasText: "denied" }).getByText("3", { exact: true }).waitFor();
  for (const [region, name] of [["By person", "ann"], ["By machine", /./], ["By project", "bobs-shop"], ["By rule and hook", "safety/force-push"]]) {
    await page.getByRole("region", { name: region }).getByText(name).first().waitFor();
  }
  // Where `doctor` stands on the page of one machine, every machine stands with its policy.
  const machines = page.getByRole("region", { name: "Machines" });
  await machines.getByText(/\(ann\): no policy/).waitFor();
  await machines.getByText(/\(bob\): no policy/).waitFor();
  await page.getByRole("combobox", { name: "Person" }).selectOption("ann");
  await page.locator(".tile", { hasText: "denied" }).getByText("1", { exact: true }).waitFor();
  assert.deepEqual(faults, [], "no error in the console and no request to elsewhere");
  await tab.close();
  [ann.machine, bob.machine, lead].forEach((machine) => machine.close());
});
