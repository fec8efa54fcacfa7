<?php

declare(strict_types=1);

require_once __DIR__ . '/json_reply.php';

json_reply($_POST);
