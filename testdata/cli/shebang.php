#!/usr/bin/env php
<?php
echo __LINE__, "\n";
