<?php
// The CLI does not change to the script's directory; an include is found from it all the same.
echo basename(getcwd()), "\n", include 'part.php', "\n";
