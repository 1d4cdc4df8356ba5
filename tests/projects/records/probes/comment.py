# /// script
# [tool.stilltrue]
# writes = "claims/evidence/comment.json"
# ///
# Peak memory, once.
import json

import shared

print( json.dumps({"peak": shared.PEAK}))
