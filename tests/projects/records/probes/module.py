# /// script
# [tool.stilltrue]
# writes = "claims/evidence/module.json"
# ///
import json

import other

print(json.dumps({"peak": other.PEAK}))
