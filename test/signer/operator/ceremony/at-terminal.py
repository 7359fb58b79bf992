# Runs a ceremony at a real terminal, a pty: reads each holder's sheet from the screen, types it back, and reports what the terminal
# showed. Arguments: the command. Output: JSON with the sheets, the exit status and whether typed words were echoed after a clear.
import json, os, pty, re, select, sys, time

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])

screen, sheets, cleared = "", {}, 0
deadline = time.monotonic() + 120

def read_until(pattern):
    global screen, cleared
    while not re.search(pattern, screen):
        if time.monotonic() > deadline:
            sys.exit("the ceremony did not ask: " + screen[-500:])
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:
            return False
        if not chunk:
            return False
        screen += chunk
        if "\x1b[3J" in screen:
            cleared += screen.count("\x1b[3J")
            screen = screen.rsplit("\x1b[3J", 1)[1]
    return True

def answer(line):
    global screen
    screen = ""
    os.write(terminal, line.encode() + b"\n")

number = 0
while read_until(r"press Enter\.|removes them from the screen|Type the words of share"):
    if "press Enter." in screen:
        number += 1
        answer("")
    elif "removes them" in screen:
        rows = [row for row in screen.splitlines() if re.match(r"^ ?\d{1,2} [a-z]+ +\d{1,2} [a-z]+", row)]
        sheets[number] = " ".join(re.findall(r"\d{1,2} ([a-z]{3,8})", "\n".join(rows)))
        answer("")
    else:
        answer(sheets[number])

_, status = os.waitpid(pid, 0)
print(json.dumps({"sheets": list(sheets.values()), "status": os.waitstatus_to_exitcode(status), "cleared": cleared, "left": screen}))
