<?php

declare(strict_types=1);

?>
<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <title>Hathi: plain PHP</title>
</head>
<body>
<h1>Hathi: plain PHP</h1>
<ul>
<?php foreach (array_map(basename(...), glob(__DIR__ . '/*.php') ?: []) as $script) { ?>
    <li><a href="/<?= htmlspecialchars($script) ?>"><?= htmlspecialchars($script) ?></a></li>
<?php } ?>
</ul>
</body>
</html>
