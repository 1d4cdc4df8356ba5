# 4.3 hours on the Windows node
$EncodeHours = 4.3
Start-Sleep -Hours 4.3
$Version = "4.3"
