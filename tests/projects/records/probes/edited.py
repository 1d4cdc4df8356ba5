# /// script
# [tool.stilltrue]
# writes = "claims/evidence/edited.json"
# ///
import json

import shared

print(json.dumps({"peak": shared.PEAK}))
