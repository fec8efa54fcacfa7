<?php
var_dump(cli_get_process_title());
var_dump(cli_set_process_title('a title'));
var_dump(cli_get_process_title());
var_dump(rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
cli_set_process_title(str_repeat('long ', 4000));
var_dump(strlen(cli_get_process_title()) > 1000, str_starts_with(file_get_contents('/proc/self/cmdline'), 'long long '));
cli_set_process_title('');
var_dump(cli_get_process_title(), $argv, getenv('HOME') === ($_SERVER['HOME'] ?? false));
