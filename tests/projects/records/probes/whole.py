# /// script
# [tool.stilltrue]
# writes = "claims/evidence/whole.json"
# ///
import json

import shared

print(json.dumps({"peak": shared.PEAK}))
