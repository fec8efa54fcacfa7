<?php
echo $undefined;
error_log('logged');
trigger_error('deprecated thing', E_USER_DEPRECATED);
header('X-Ignored: yes');
var_dump(headers_sent(), headers_list(), http_response_code());
nothing_of_the_kind();
