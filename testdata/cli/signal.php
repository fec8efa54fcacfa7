<?php
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function (int $signal) {
    echo "handler $signal\n";
});
posix_kill(posix_getpid(), SIGUSR1);
for ($i = 0; $i < 3; $i++) {
    echo "after\n";
}
pcntl_signal(SIGALRM, function () {
    echo "alarm\n";
});
pcntl_alarm(1);
var_dump(sleep(5) > 0);
var_dump(pcntl_signal_get_handler(SIGTERM), pcntl_signal_get_handler(SIGPIPE));
pcntl_sigprocmask(SIG_BLOCK, [SIGUSR2], $old);
var_dump($old);
