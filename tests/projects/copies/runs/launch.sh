ENCODE_SECONDS=145.5
STEP=22.8 s
naive_gib=81.93
chunked_gib=11.9
