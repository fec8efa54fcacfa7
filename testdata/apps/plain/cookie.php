<?php

declare(strict_types=1);

require_once __DIR__ . '/include/json_reply.php';

json_reply($_COOKIE);
