<?php

declare(strict_types=1);

namespace App\Models;

use Illuminate\Database\Eloquent\Model;

/**
 * @property int $id
 * @property string $title
 * @property string|null $body
 */
final class Note extends Model
{
    protected $fillable = ['title', 'body'];
}
