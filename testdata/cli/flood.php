<?php
register_shutdown_function(function () {
    fwrite(STDERR, 'status ' . connection_status() . "\n");
});
for ($i = 0; $i < 1000; $i++) {
    echo str_repeat('x', 8192);
}
fwrite(STDERR, "not reached\n");
