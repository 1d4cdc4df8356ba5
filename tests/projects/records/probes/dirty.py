# /// script
# [tool.stilltrue]
# writes = "claims/evidence/dirty.json"
# ///
import json

import shared

print(json.dumps({"peak": shared.PEAK}))
