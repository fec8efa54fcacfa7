<?php
var_dump(PHP_SAPI, php_sapi_name(), php_ini_loaded_file(), PHP_CLI_PROCESS_TITLE);
foreach (['display_errors', 'html_errors', 'register_argc_argv', 'implicit_flush', 'output_buffering',
    'max_execution_time', 'max_input_time', 'memory_limit', 'error_reporting', 'log_errors'] as $name) {
    echo $name, ' = ', var_export(ini_get($name), true), "\n";
}
var_dump(ini_get('my.entry'), ini_get('precision'));
