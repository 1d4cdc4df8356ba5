"""Encode the data; takes 4.3 hours on one node."""

ENCODE_HOURS = 4.3  # measured
ENCODE_SECONDS = 4.3
PEAK_GIB = 81.93
peak_gib: float = 81.93
STEP_MS = 22_835.8
TOKENS_PER_SECOND = 1_234.5
SHARE_PERCENT = 65.2
FLOPS = 1.28e18  # FLOPs of one run
TOTAL = "1.28e18 FLOPs"
X = 4.3
VERSION = "4.3"
WEIGHTS = [4.3, 65.2, 81.93]
DELTA = 4.3 - 2.1  # hours
print(f"{x:4.3f} h")
print("%4.3f h" % x)
assert t < 4.3, "hours"
# It takes 4.3
# hours with one worker.
# old: 4.3 h  stilltrue: keep
# 4.3h vs. 14.3h
lr = 4.3e-4
h = 4.3
x = dict(hours=4.3, percent=65.2)
config["encode_hours"] = 4.3
wait(hours=4.3)
took_h = 4.31
