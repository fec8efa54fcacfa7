<?php

declare(strict_types=1);

namespace App\Auth;

use Illuminate\Auth\GenericUser;
use Illuminate\Contracts\Auth\Authenticatable;
use Illuminate\Contracts\Auth\UserProvider;
use Illuminate\Contracts\Hashing\Hasher;

/**
 * The users who can log in: alice (password "wonderland") and bob (password "builder").
 */
final class DemoUserProvider implements UserProvider
{
    /** bcrypt at its lowest cost: these passwords are public, and tests should not wait for them. */
    private const PASSWORD_HASHES = [
        'alice' => '$2y$04$OCZQZ2R5nYRvFCr43wqpau0evLyJAYj1tEh8O48rrEna1Afd1iXN6',
        'bob' => '$2y$04$uKd6gjSLlpPFMbvPSU0sE.EJpgmrf1m7vFcspGKKr6ryHlOcoYuTO',
    ];

    public function __construct(private readonly Hasher $hasher)
    {
    }

    public function retrieveById($identifier): ?Authenticatable
    {
        $hash = self::PASSWORD_HASHES[$identifier] ?? null;

        if ($hash === null) {
            return null;
        }

        // The guard reads the token at logout, also where nobody can be remembered.
        return new GenericUser(['id' => $identifier, 'password' => $hash, 'remember_token' => null]);
    }

    public function retrieveByToken($identifier, $token): ?Authenticatable
    {
        return null;
    }

    public function updateRememberToken(Authenticatable $user, $token): void
    {
        // There is no "remember me" here.
    }

    public function retrieveByCredentials(array $credentials): ?Authenticatable
    {
        return $this->retrieveById($credentials['user'] ?? '');
    }

    public function validateCredentials(Authenticatable $user, array $credentials): bool
    {
        return $this->hasher->check($credentials['password'] ?? '', $user->getAuthPassword());
    }
}
