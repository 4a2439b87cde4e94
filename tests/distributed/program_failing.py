"""Run by three ranks without a launcher: rank 1 ends, or stops answering, and what others see."""

import functape as ft

# isort: split
import json
import os
import sys
import time

import mlx.core as mx

HOW = sys.argv[1]
RANK = int(os.environ["MLX_RANK"])
LIMIT = 3.0

if HOW == "absent" and RANK == 1:
    os._exit(3)
GROUP = ft.distributed.init(backend="ring", strict=True, timeout=LIMIT)
x = mx.array([1.0, 2.0])
for k in range(5):
    if RANK == 1 and k == 3:
        if HOW == "dies":
            os._exit(3)
        time.sleep(600)
    begin = time.monotonic()
    try:
        ft.distributed.all_sum(x)
    except ft.errors.CommunicationError as error:
        waited, first = time.monotonic() - begin, str(error)
        break
try:
    ft.distributed.all_sum(x)
    again = "no error"
except ft.errors.CommunicationError as error:
    again = str(error)
print("RESULT " + json.dumps({
    "rank": RANK, "step": k, "waited": waited, "first": first, "again": again}), flush=True)
os._exit(0)
