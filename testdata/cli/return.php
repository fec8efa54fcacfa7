<?php
return;
