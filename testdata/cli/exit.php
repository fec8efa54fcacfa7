<?php
register_shutdown_function(function () {
    echo "shutdown\n";
});
exit((int) ($argv[1] ?? 0));
