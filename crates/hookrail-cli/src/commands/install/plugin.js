// {mark}
import { spawn } from "node:child_process";

const COMMAND = {command};
const EVENTS = {events};

// Asks hookrail about one event. The promise is rejected if there is no answer in time.
function ask(name, directory, payload) {
  return new Promise((resolve, reject) => {
    const child = spawn(COMMAND, { shell: true, cwd: directory, stdio: ["pipe", "pipe", "inherit"] });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("hookrail did not answer in time"));
    }, EVENTS[name]);
    let answer = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => { answer += text; });
    child.stdin.on("error", () => {});
    child.on("error", (error) => { clearTimeout(timer); reject(error); });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code !== 0) return reject(new Error(`hookrail ended with exit code ${code}`));
      try {
        resolve(answer.trim() === "" ? {} : JSON.parse(answer));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.end(JSON.stringify({ hook_event_name: name, cwd: directory, ...payload }));
  });
}

// What has happened already is not undone by a missing answer.
async function tell(name, directory, payload) {
  if (!(name in EVENTS)) return {};
  try {
    return await ask(name, directory, payload);
  } catch (error) {
    console.error(`hookrail: ${error.message}`);
    return {};
  }
}

export const HookrailPlugin = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const name = "tool.execute.before";
    if (!(name in EVENTS)) return;
    let answer;
    try {
      answer = await ask(name, directory, { input, output });
    } catch (error) {
      throw new Error(`A guard could not be asked, so the call is denied: ${error.message}`);
    }
    if (answer.deny) throw new Error(answer.deny);
    if (answer.args) {
      for (const key of Object.keys(output.args)) delete output.args[key];
      Object.assign(output.args, answer.args);
    }
  },
  "tool.execute.after": async (input, output) => {
    const answer = await tell("tool.execute.after", directory, { input, output });
    if (answer.context) output.output = `${output.output}\n${answer.context}`;
  },
  "chat.message": async (input, output) => {
    const answer = await tell("chat.message", directory, { input, output });
    const last = output.parts[output.parts.length - 1];
    if (answer.context && last) {
      output.parts.push({ ...last, id: `${last.id}h`, type: "text", text: answer.context, synthetic: true });
    }
  },
  event: async ({ event }) => {
    if (event && event.type in EVENTS) await tell(event.type, directory, { event });
  },
});
