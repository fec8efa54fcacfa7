<?php
set_time_limit(1);
while (true) {
}
