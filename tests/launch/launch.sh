#!/usr/bin/env bash
# Texts are cut at 24 tokens; see claims/run.yml.
set -euo pipefail
cd "$(dirname "$0")"
exec python train.py arguments.yml
