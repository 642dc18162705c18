"""What tests find as the command `whybench` or `inspect`: hands itself over to the command server.

Copied under these names to where the door of the server is. It imports little, since it is started
hundreds of times, and does nothing itself: arguments, variables, folder, descriptors and signals
are handed over, and the status that comes back is its own. What the server refuses is started as a
process, as a user would.
"""

import marshal
import os
import signal
import socket
import struct
import sys

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
REFUSED = 256


def main() -> None:
    here = os.path.abspath(__file__)
    folder, name = os.path.split(here)
    request = {
        "words": [here, *sys.argv[1:]],
        "folder": os.getcwd(),
        "variables": dict(os.environ),
        "umask": os.umask(0),
        "ignored": [
            int(number) for number in FORWARDED if signal.getsignal(number) == signal.SIG_IGN
        ],
    }
    os.umask(request["umask"])
    message = marshal.dumps(request)
    with socket.socket(socket.AF_UNIX) as door:
        for number in FORWARDED:
            if number not in request["ignored"]:
                signal.signal(number, lambda number, _: door.sendall(bytes([number])))
        door.connect(os.path.join(folder, "door"))
        socket.send_fds(door, [struct.pack("=I", len(message))], [0, 1, 2])
        door.sendall(message)
        reply = door.recv(4, socket.MSG_WAITALL)
    if len(reply) < 4:
        with open(os.path.join(folder, "errors"), encoding="utf-8") as errors:
            sys.exit(f"The command server has ended.\n{errors.read()}")
    (status,) = struct.unpack("=i", reply)
    for number in FORWARDED:
        if number not in request["ignored"]:
            signal.signal(number, signal.SIG_DFL)
    if status == REFUSED:
        command = os.path.join(os.path.dirname(sys.executable), name)
        os.execv(command, [command, *sys.argv[1:]])
    if status < 0:  # a signal ended the command, and so it ends this
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


main()
