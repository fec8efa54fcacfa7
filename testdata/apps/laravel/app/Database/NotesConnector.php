<?php

declare(strict_types=1);

namespace App\Database;

use Illuminate\Database\Connectors\SQLiteConnector;
use PDO;

/**
 * Opens the SQLite file, and lays out its schema when it has none yet: nobody has to migrate before starting the server.
 */
final class NotesConnector extends SQLiteConnector
{
    private const SCHEMA_VERSION = 1;

    private const SCHEMA = [
        // Readers then do not wait for a writer. The mode is a property of the file and outlives the connection.
        'PRAGMA journal_mode = WAL',
        'CREATE TABLE IF NOT EXISTS notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            body TEXT,
            created_at TEXT,
            updated_at TEXT
        )',
        'PRAGMA user_version = ' . self::SCHEMA_VERSION,
    ];

    public function connect(array $config): PDO
    {
        // The parent insists on a file that exists. An empty one is an empty database.
        if (!is_file($config['database'])) {
            touch($config['database']);
        }

        $pdo = parent::connect($config);
        if ($this->version($pdo) < self::SCHEMA_VERSION) {
            $this->migrate($pdo, $config['database'] . '.lock');
        }

        return $pdo;
    }

    private function version(PDO $pdo): int
    {
        return (int) $pdo->query('PRAGMA user_version')->fetchColumn();
    }

    /**
     * Under a lock of its own: changing the journal mode fails at once when another process uses the file, whatever the
     * busy timeout is.
     */
    private function migrate(PDO $pdo, string $lockFile): void
    {
        $lock = fopen($lockFile, 'c');
        flock($lock, LOCK_EX);
        try {
            if ($this->version($pdo) < self::SCHEMA_VERSION) {
                foreach (self::SCHEMA as $statement) {
                    $pdo->exec($statement);
                }
            }
        } finally {
            fclose($lock);
        }
    }
}
