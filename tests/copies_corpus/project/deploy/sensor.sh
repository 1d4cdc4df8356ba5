# How long a sensor lives.
BATTERY_HOURS=4.3
ENCODE_HOURS=4.3
