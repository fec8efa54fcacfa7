package caddymodule

// The Caddyfile syntax.
//
// The global option, once per configuration:
//
//	hathi {
//		processes     <n>
//		php_ini       <key> <value>
//		php_ini {
//			<key> <value>
//		}
//		worker        <file> [<num>|watch]
//		worker [<file>] {
//			<worker subdirectives>
//		}
//		user          <name>
//		group         <name>
//		php_thread    any|pinned
//		stop_timeout  <duration>
//		num_threads   <n>
//		max_threads   <n>|auto
//		max_wait_time <duration>
//		max_idle_time <duration>
//		max_requests  <n>
//	}
//
// A worker block:
//
//	worker [<file> [<num>|watch]] {
//		file        <path>
//		name        <name>
//		num         <n>
//		max_threads <n>
//		env         <key> <value>
//		watch       [<patterns...>]
//		match       <paths...>
//		max_consecutive_failures <n>
//	}
//
// A site with files and PHP; a missing file goes to index.php:
//
//	php_server [<matcher>] {
//		root        <directory>
//		split_path  <delimiters...>
//		env         <key> <value>
//		resolve_root_symlink [true|false]
//		request_body_timeout <duration>
//		worker      ...
//		index       <file>|off
//		try_files   <files...>
//		file_server off
//		name        <name>
//		hot_reload  [<patterns...>] { ... }
//	}
//
// Every request to PHP:
//
//	php [<matcher>] {
//		the same without index, try_files and file_server
//	}
//
// split is another name of split_path. Numbers, names and files may come from the
// environment ({$NAME}); a number that is empty means its default.

var (
	appSubdirectives = []string{
		"processes", "php_ini", "worker", "user", "group", "php_thread", "stop_timeout",
		"num_threads", "max_threads", "max_wait_time", "max_idle_time", "max_requests",
	}
	workerSubdirectives = []string{
		"file", "name", "num", "max_threads", "env", "watch", "match", "max_consecutive_failures",
	}
	phpSubdirectives = []string{
		"root", "split_path", "split", "env", "resolve_root_symlink", "request_body_timeout",
		"worker", "name", "hot_reload",
	}
	phpServerSubdirectives = append([]string{"index", "try_files", "file_server"}, phpSubdirectives...)
)
