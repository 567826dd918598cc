/**
 * What an independent validator says of an OpenAPI document that comes on standard input, as JSON: `{"valid","errors"}`.
 *
 * A program of its own, so that only what runs it needs the validator.
 */
import { text } from 'node:stream/consumers'
import { Validator } from '@seriousme/openapi-schema-validator'

const { valid, errors = [] } = await new Validator().validate(JSON.parse(await text(process.stdin)))
process.stdout.write(JSON.stringify({ valid, errors }))
