"""A terminal of a given size: runs a program, types keys, and prints the screen.

terminal.py ROWS COLUMNS SCRIPT PROGRAM [ARGUMENT…], where SCRIPT is JSON: a list of
  {"wait": TEXT}   until the screen shows it, at most ten seconds
  {"gone": TEXT}   until the screen does not show it any more
  {"keys": TEXT}   types
  {"run": [ARGUMENTS, INPUT]}   runs the same program beside the terminal
  {"size": [ROWS, COLUMNS]}     makes the terminal as large
  {"show": true}   prints the screen
It ends with the program's exit code, or 99 if something was waited for in vain.
"""

import fcntl, json, os, pty, re, select, signal, struct, subprocess, sys, termios, time

ROWS, COLUMNS = int(sys.argv[1]), int(sys.argv[2])
STEPS, COMMAND = json.loads(sys.argv[3]), sys.argv[4:]
SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>78]")


class Screen:
    """What the sequences that such programs use leave on a screen."""

    def __init__(self, rows, columns):
        self.size, self.at, self.raw, self.rest = (rows, columns), (0, 0), "", ""
        self.clear()

    def clear(self):
        self.cells = [[" "] * self.size[1] for _ in range(self.size[0])]

    def feed(self, text):
        self.raw += text
        text, self.rest, place = self.rest + text, "", 0
        while place < len(text):
            if text[place] != "\x1b":
                self.put(text[place])
                place += 1
                continue
            found = SEQUENCE.match(text, place)
            if not found:
                if len(text) - place < 24:
                    self.rest = text[place:]
                    return
                place += 1
                continue
            self.obey(found.group(1) or "", found.group(2))
            place = found.end()

    def put(self, letter):
        row, column = self.at
        if letter == "\n":
            self.at = (row + 1, column)
        elif letter == "\r":
            self.at = (row, 0)
        elif letter >= " ":
            if row < self.size[0] and column < self.size[1]:
                self.cells[row][column] = letter
            self.at = (row, column + 1)

    def obey(self, numbers, letter):
        if letter == "H":
            row, column = (numbers.split(";") + ["1"])[:2] if numbers else ("1", "1")
            self.at = (int(row or 1) - 1, int(column or 1) - 1)
        elif letter == "J" and numbers in ("2", "3"):
            self.clear()
        elif letter in "lh" and "1049" in numbers:
            self.clear()

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


pid, terminal = pty.fork()
if pid == 0:
    resize(0, ROWS, COLUMNS)
    os.execvp(COMMAND[0], COMMAND)
resize(terminal, ROWS, COLUMNS)
screen = Screen(ROWS, COLUMNS)


def read(seconds):
    until = time.time() + seconds
    while time.time() < until:
        if not select.select([terminal], [], [], 0.02)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:
            return False
        if not part:
            return False
        text = part.decode("utf-8", "replace")
        # Programs ask where the cursor is.
        if "\x1b[6n" in text:
            os.write(terminal, b"\x1b[1;1R")
        screen.feed(text)
    return True


def wait(text, shown):
    until = time.time() + 10
    while (text in screen.text()) != shown:
        alive = read(0.05)
        if time.time() > until or (not alive and (text in screen.text()) != shown):
            print(f"waited in vain for {text!r} to be {'shown' if shown else 'gone'}:\n{screen.text()}")
            os.kill(pid, signal.SIGKILL)
            sys.exit(99)


for step in STEPS:
    if "wait" in step:
        wait(step["wait"], True)
    elif "gone" in step:
        wait(step["gone"], False)
    elif "keys" in step:
        os.write(terminal, step["keys"].encode())
        read(0.25)
    elif "run" in step:
        subprocess.run([COMMAND[0], *step["run"][0]], input=step["run"][1].encode(), stdout=subprocess.DEVNULL)
    elif "size" in step:
        screen.size = tuple(step["size"])
        screen.clear()
        resize(terminal, *step["size"])
        os.kill(pid, signal.SIGWINCH)
        read(0.4)
    else:
        print(screen.text())
        print("=" * 8)
while read(0.1):
    pass
if "\x1b[?1049l" not in screen.raw:
    print("the terminal was not restored")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
