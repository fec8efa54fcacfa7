<?php
var_dump(is_resource(STDIN), stream_get_meta_data(STDIN)['mode']);
while (($line = fgets(STDIN)) !== false) {
    fwrite(STDOUT, 'out: ' . $line);
    fwrite(STDERR, 'err: ' . $line);
}
var_dump(feof(STDIN), file_get_contents('php://stdin'));
