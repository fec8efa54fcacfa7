<?php

declare(strict_types=1);

namespace App;

/**
 * The users who can log in: alice (password "wonderland") and bob (password "builder").
 */
final class DemoUsers
{
    /** bcrypt at its lowest cost: these passwords are public, and tests should not wait for them. */
    private const PASSWORD_HASHES = [
        'alice' => '$2y$04$OCZQZ2R5nYRvFCr43wqpau0evLyJAYj1tEh8O48rrEna1Afd1iXN6',
        'bob' => '$2y$04$uKd6gjSLlpPFMbvPSU0sE.EJpgmrf1m7vFcspGKKr6ryHlOcoYuTO',
    ];

    public function passwordMatches(string $name, string $password): bool
    {
        $hash = self::PASSWORD_HASHES[$name] ?? null;

        return $hash !== null && password_verify($password, $hash);
    }
}
