#!/bin/sh
ENCODE_SECONDS=145.5   # measured
export ENCODE_SECONDS
PRICE=0.97
RETRIES=3
