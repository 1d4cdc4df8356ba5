# /// script
# [tool.stilltrue]
# writes = "claims/evidence/input.json"
# ///
import json

import shared

print(json.dumps({"peak": shared.PEAK}))
