"""The monitor: a small process outside that starts a sandbox, watches it and ends it.

Run by the bare interpreter. When the program that asked for the sandbox was started by
root, the monitor first becomes a user of its own that owns nothing: limits on the
number of processes do not bind root, and root reads every file it can see. Since that user may not
be able to reach the interpreter, say in somebody's home, the folders to be shown are mounted
first, in a mount namespace that nobody else sees. From there on root's monitors and anybody's are
alike.

It then looks, every few milliseconds while something runs, at all processes inside: their memory,
their number, the files they made. On a breach it says so and kills them, sparing the runner, which
lets a session go on; if that does not help at once, it ends the sandbox. It ends it too when its
leash, a pipe held by the program outside, is let go: a program that dies leaves nothing behind.
A byte on the leash says that the sandbox is in use from now on, and its lifetime begins.

    REPORT LEASH MEMORY PROCESSES FILES LIFETIME STAGED SOURCE... -- bwrap ...

Monitors are forks of one process (see `fork_server`), which takes such arguments at a socket.
"""

from __future__ import annotations

import _signal  # the part of `signal` that is there anyway, without its enumerations
import mmap
import os
import select
import sys
import time

KILL, CHILD_ENDED = 9, 17
ASIDE, MOST_GIVEN, MOST_ASKED = 200, 16, 1 << 17
IDLE, BUSY = 0.05, 0.01
PATIENCE = 1.0

SLOTS = 256
FOLDER = "/run/inspect-bubblewrap"
FIRST_USERS = (1_900_000_000, 60_600)
"""Where users that no system hands out begin: far up, or where only 65,536 users exist, low."""

STAGE = "/tmp"
CLONE_NEWNS = 0x20000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18


def stage(sources: list[str]) -> None:
    """Mount what is to be shown under the staging folder, in a mount namespace of our own."""
    # What `ctypes` is made of: importing the whole would double the time to start.
    import _ctypes

    library = _ctypes.dlopen("", 0)

    def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
        given = (source.encode(), target.encode(), kind.encode(), flags, options.encode())
        if _ctypes.call_function(_ctypes.dlsym(library, "mount"), given):
            raise OSError(f"cannot mount {source} on {target}")

    if _ctypes.call_function(_ctypes.dlsym(library, "unshare"), (CLONE_NEWNS,)):
        raise OSError("cannot make a mount namespace")
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    # Held open, since the staging folder may cover what is to be staged.
    held = [os.open(source, os.O_PATH) for source in sources]
    mount("tmpfs", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    for place, descriptor in enumerate(held):
        target = f"{STAGE}/{place}"
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            os.mkdir(target)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        mount(f"/proc/self/fd/{descriptor}", target, "none", MS_BIND | MS_REC)
        os.close(descriptor)


def claim() -> int:
    """Return a user that no other sandbox uses, held by a lock that ends with this process."""
    import fcntl

    os.makedirs(FOLDER, mode=0o700, exist_ok=True)
    for slot in range(SLOTS):
        lock = os.open(f"{FOLDER}/{slot}", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        with open("/proc/self/uid_map") as file:
            spans = [tuple(int(part) for part in line.split()) for line in file]
        for first in FIRST_USERS:
            if any(start <= first and first + SLOTS <= start + size for start, _, size in spans):
                return first + slot
        raise OSError("no user is left to become in this user namespace")
    raise OSError(f"all {SLOTS} slots for sandboxes are in use")


def become(user: int) -> None:
    """Become a user that owns nothing, for good."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def spawn(command: list[str], user: int) -> int:
    """Start bubblewrap as a user; the kernel, if short of memory, shall take it first of all."""
    child = os.fork()
    if child:
        return child
    try:
        try:  # while we are who may: after a change of user it is root's file
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")
        except OSError:
            pass  # a matter of politeness: the limits below do not rest on it
        if user:
            become(user)
        os.execv(command[0], command)
    finally:
        os._exit(127)


def children(process: int) -> list[int]:
    """Return the processes that a process started and that live."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        pass  # it ended while we looked
    return found


def descendants(process: int) -> list[int]:
    """Return all processes below a process, nearest first."""
    found: list[int] = []
    below = children(process)
    while below:
        found += below
        below = [child for parent in below for child in children(parent)]
    return found


def private_bytes(process: int) -> int:
    """Return an upper bound of a process's own memory, quickly."""
    try:
        with open(f"/proc/{process}/statm") as file:
            _, resident, shared = file.read().split()[:3]
    except OSError:
        return 0
    return (int(resident) - int(shared)) * mmap.PAGESIZE


def proportional_bytes(process: int) -> int:
    """Return a process's own memory, pages that forks share divided among them; slower."""
    try:
        with open(f"/proc/{process}/smaps_rollup") as file:
            for line in file:
                if line.startswith("Pss_Anon:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return private_bytes(process)


def folders(runner: int) -> tuple[int, int]:
    """Return bytes and files in the sandbox's folders in memory."""
    size = files = 0
    try:
        if os.path.samefile(f"/proc/{runner}/root", "/"):
            return 0, 0  # still on its way in: these folders are the host's
    except OSError:
        return 0, 0
    for name in ("tmp", "dev/shm"):
        try:
            state = os.statvfs(f"/proc/{runner}/root/{name}")
        except OSError:
            continue
        size += (state.f_blocks - state.f_bfree) * state.f_frsize
        files += state.f_files - state.f_ffree
    return size, files


def breach(runner: int, inside: list[int], most: dict[str, int]) -> str:
    """Return which limit is exceeded and by what, or nothing."""
    if len(inside) > most["processes"]:
        return f"processes {len(inside)}"
    stored, files = folders(runner)
    if files > most["files"]:
        return f"files {files}"
    everyone = [runner, *inside]
    used = stored + sum(map(private_bytes, everyone))
    if used > most["memory"]:
        used = stored + sum(map(proportional_bytes, everyone))
    return f"memory {used}" if used > most["memory"] else ""


def kill(processes: list[int]) -> None:
    """Kill processes, nearest to the runner first."""
    for process in processes:
        try:
            os.kill(process, KILL)
        except OSError:
            pass  # gone by itself


def watch(bwrap: int, report: int, leash: int, most: dict[str, int], lifetime: float) -> None:
    """Look after a sandbox until it ends; then make sure that it has."""
    end = float("inf")
    since = 0.0
    waiting = select.poll()
    waiting.register(os.pidfd_open(bwrap), select.POLLIN)
    waiting.register(leash, select.POLLIN)
    pause = BUSY
    parent = os.getppid()
    while os.getppid() == parent:
        events = waiting.poll(pause * 1000)
        if any(place != leash or event & select.POLLHUP for place, event in events):
            break
        now = time.monotonic()
        if events:  # a tug at the leash: somebody has begun to use the sandbox
            os.read(leash, MOST_ASKED)
            end = now + lifetime
        runner = next(iter(children(bwrap)), 0)
        inside = descendants(runner) if runner else []
        found = breach(runner, inside, most) if runner else ""
        if now > end:
            os.write(report, f"lifetime {lifetime:.0f} {now}\n".encode())
            break
        if found:
            since = since or now
            os.write(report, f"{found} {now}\n".encode())  # when it was seen, not when it is said
            if now - since > PATIENCE or not inside:
                break
            kill(inside)
        else:
            since = 0.0
        pause = BUSY if inside else IDLE
    kill(children(bwrap))
    os.waitpid(bwrap, 0)


def keep(arguments: list[str], given: int) -> None:
    """Start and watch one sandbox, having been given so many descriptors."""
    split = arguments.index("--")
    report, leash, memory, processes, files = (int(given) for given in arguments[:5])
    lifetime, staged = float(arguments[5]), arguments[6] == "staged"
    for descriptor in (report, leash):
        os.set_inheritable(descriptor, False)
    user = 0
    if staged:
        user = claim()
        stage(arguments[7:split])
    bwrap = spawn(arguments[split + 1 :], user)
    if user:
        become(user)
    for descriptor in range(given):
        if descriptor not in (2, report, leash):  # or their ends would never be seen outside
            os.close(descriptor)
    most = {"memory": memory, "processes": processes, "files": files}
    watch(bwrap, report, leash, most, lifetime)


def place(given: list[int]) -> None:
    """Bring descriptors to their places, 0 and up, and close all others."""
    # First out of the way of each other, then into place.
    aside = [os.dup2(descriptor, ASIDE + place) for place, descriptor in enumerate(given)]
    os.closerange(3, ASIDE)
    for place, descriptor in enumerate(aside):
        os.dup2(descriptor, place)
        os.close(descriptor)


def begin(arguments: list[str], given: list[int]) -> int:
    """Fork a monitor; return its process."""
    child = os.fork()
    if child:
        return child
    try:
        _signal.signal(CHILD_ENDED, _signal.SIG_DFL)
        place(given)
        keep(arguments, len(given))
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(0)


def main() -> None:
    """Wait at the door; for each that asks, fork a monitor and say which process it is."""
    import _socket

    # Monitors that end are buried by the kernel: nobody here waits for them.
    _signal.signal(CHILD_ENDED, _signal.SIG_IGN)
    door = _socket.socket(fileno=int(sys.argv[1]))
    waiting = select.poll()
    waiting.register(door.fileno(), select.POLLIN)
    parent = os.getppid()
    # The door may be held open by a fork of the program that has died: hence a look now and then.
    while os.getppid() == parent:
        if not waiting.poll(1000):
            continue
        message, control, *_ = door.recvmsg(MOST_ASKED, _socket.CMSG_SPACE(4 * MOST_GIVEN))
        if not message:
            return
        given = [
            int.from_bytes(data[start : start + 4], sys.byteorder)
            for _, _, data in control
            for start in range(0, len(data), 4)
        ]
        monitor = begin(message.decode("utf-8", "surrogateescape").split("\0"), given)
        for descriptor in given:
            os.close(descriptor)
        door.send(str(monitor).encode())


if __name__ == "__main__":
    main()
