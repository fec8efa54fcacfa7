<?php
echo "seen\n";
fclose(STDOUT);
fwrite(STDERR, "still here\n");
exit(4);
