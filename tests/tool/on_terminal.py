# on_terminal.py COLUMNS COMMAND…: runs the command with a terminal of so many columns as its
# standard output, and prints what it writes there.
import fcntl
import os
import pty
import struct
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
own, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
child = os.fork()
if child == 0:
    os.dup2(terminal, 1)
    os.execvp(command[0], command)
os.close(terminal)
text = b""
while True:
    try:
        part = os.read(own, 4096)
    except OSError:  # the other end is closed
        break
    if not part:
        break
    text += part
print(text.decode().replace("\r\n", "\n"), end="")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
