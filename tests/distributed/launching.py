"""Start programs on several ranks of MLX's ring, over loopback."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
LAUNCH = [sys.executable, "-c", "from mlx._distributed_utils.launch import main; main()"]


def first_free_port(count):
    """Of so many free ports in a row."""
    for port in range(20000 + os.getpid() % 20000, 60000, count):
        try:
            for offset in range(count):
                with socket.socket() as s:
                    s.bind(("127.0.0.1", port + offset))
            return port
        except OSError:
            continue
    raise RuntimeError("no free ports")


def launch(program, *args, ranks=4, timeout=200):
    """Run it by mlx.launch; the results that ranks printed, by rank, and all of the output."""
    command = [*LAUNCH, "--backend", "ring", "-n", str(ranks), "--starting-port",
               str(first_free_port(ranks)), "--python", sys.executable, "--",
               str(HERE / program), *args]
    silence, end = os.pipe()  # mlx.launch never rests where its input has ended
    process = subprocess.Popen(command, stdin=silence, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        os.close(silence)
        os.close(end)
    return results(output), output


def results(text):
    """What ranks printed as RESULT lines, by rank."""
    found = [json.loads(part.splitlines()[0]) for part in text.split("RESULT ")[1:]]
    return {r["rank"]: r for r in found}


def start(program, *args, ranks, hostfile):
    """Run it without a launcher, so that nobody ends the others when one rank ends."""
    port = first_free_port(ranks)
    hostfile.write_text(json.dumps([[f"127.0.0.1:{port + r}"] for r in range(ranks)]))
    return [subprocess.Popen([sys.executable, str(HERE / program), *args], text=True,
                             env={**os.environ, "MLX_HOSTFILE": str(hostfile), "MLX_RANK": str(r)},
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for r in range(ranks)]
