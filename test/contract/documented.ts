/**
 * The OpenAPI document as a program reads it that knows nothing of the route table.
 */

/** One parameter. */
export interface DocumentedParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description?: string
}

/** Media type → what is said of a body of it. */
export type Content = Readonly<
  Record<
    string,
    {
      readonly schema?: object
      readonly 'x-line-schema'?: object
      readonly 'x-event-schemas'?: Readonly<Record<string, object>>
    }
  >
>

/** One operation, with the path and the method it stands under. */
export interface Operation {
  readonly operationId: string
  readonly path: string
  readonly method: string
  readonly parameters: readonly DocumentedParameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly $ref?: string }>>
}

/** What the daemon serves under `/v1/openapi.json`, as far as it is looked into. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'path' | 'method'>>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  }
  readonly 'x-error-codes': Readonly<Record<string, { readonly status: number }>>
}

export function operationsOf({ paths }: OpenApi): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  )
}

/** A path with its parameters filled in. @throws Error for one without a value */
export function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`no value for ${name} of ${path}`)
    return encodeURIComponent(value)
  })
}
