/**
 * The forms by which well-known credentials are recognised wherever they stand in a text.
 *
 * A guess that errs towards the text: hashes, ids, paths and code have none of these forms. Every pattern is bounded or
 * anchored, so that a text costs its length.
 *
 * @see AEE-089, AC-186
 */

/** One form. */
export interface SecretForm {
  /** What it is, as it is told to the sender. */
  readonly what: string
  /** The secret is the group `secret`, or all of the match where there is none; what stands in `before` stays. */
  readonly pattern: RegExp
  /** Told the secret: false for words that merely begin like one. */
  readonly accepts?: (secret: string) => boolean
}

/** Digits, or capitals within: what a random text of sixteen characters has, and words joined by hyphens have not. */
function isMixed(text: string): boolean {
  return /\d/.test(text) || /[a-z][A-Z]/.test(text)
}

/** A token that a fixed word begins: characters of it behind that word. */
function prefixed(what: string, prefix: string, rest: string): SecretForm {
  const start = new RegExp(`^(?:${prefix})`)
  return {
    what,
    pattern: new RegExp(`(?<![A-Za-z\\d_-])(?:${prefix})${rest}`, 'g'),
    accepts: (secret) => isMixed(secret.replace(start, '')),
  }
}

/** In the order in which they are looked for: what holds others first. */
export const SECRET_FORMS: readonly SecretForm[] = [
  {
    what: 'a private key',
    // Only with something of the key behind the line that announces one; to its end, or that of the text.
    pattern:
      /-----BEGIN [A-Z\d ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?=(?:[\s\\]|(?<=\\)[nr])*(?:Proc-Type|Version|[\w+/=]{16}))(?:[\s\S]*?-----END [A-Z\d ]{0,32}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
  },
  {
    what: 'a JSON Web Token',
    pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g,
  },
  {
    what: 'a bearer token',
    pattern: /(?<![\w-])(?<before>bearer\s{1,4})(?<secret>[\w.+/=~-]{16,})/gi,
    accepts: isMixed,
  },
  {
    what: 'credentials of an Authorization header',
    pattern:
      /(?<![\w])(?<before>authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:basic|token|digest|apikey)\s{1,4})(?<secret>[\w.+/=~:-]{6,})/gi,
  },
  {
    what: 'the password of a URL',
    // `$PASSWORD`, `<password>`, `{password}` and `***` stand for one.
    pattern:
      /(?<![A-Za-z\d+.-])(?<before>[A-Za-z][A-Za-z\d+.-]{0,31}:\/\/[^/\s:@]{0,128}:)(?<secret>[^/\s@$<{*[][^/\s@]{0,512})(?=@)/g,
  },
  prefixed('an API key', 'sk-ant-|sk-proj-|sk-svcacct-|sk-or-', String.raw`[\w-]{20,}`),
  prefixed('an API key', '[sr]k[-_](?:live[-_]|test[-_])?', String.raw`[\w-]{20,}`),
  prefixed('a GitHub token', 'gh[opsur]_', String.raw`\w{20,}`),
  prefixed('a GitHub token', 'github_pat_', String.raw`\w{20,}`),
  prefixed('a GitLab token', 'gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent)-', String.raw`[\w-]{16,}`),
  prefixed('a Slack token', 'xox[abeoprs]-|xapp-', String.raw`[\w-]{8,}`),
  {
    what: 'a Slack webhook',
    pattern: /(?<before>https:\/\/hooks\.slack\.com\/(?:services|workflows)\/)(?<secret>[\w/]{16,})/g,
  },
  { what: 'an AWS key', pattern: /(?<![A-Za-z\d])(?:AKIA|ASIA)[A-Z\d]{16}(?![A-Za-z\d])/g },
  prefixed('a Google API key', 'AIza', String.raw`[\w-]{30,}`),
  prefixed('a Google token', String.raw`ya29\.|GOCSPX-`, String.raw`[\w-]{20,}`),
  prefixed('an npm token', 'npm_', String.raw`\w{30,}`),
  prefixed('a PyPI token', 'pypi-', String.raw`[\w-]{40,}`),
  prefixed('a Hugging Face token', 'hf_', String.raw`[A-Za-z\d]{30,}`),
  prefixed('a Docker token', 'dckr_(?:pat|oat)_', String.raw`[\w-]{20,}`),
  prefixed('a DigitalOcean token', 'do[opr]_v1_', String.raw`[a-f\d]{40,}`),
  prefixed('a Shopify token', 'shp(?:at|ca|pa|ss)_', String.raw`[A-Fa-f\d]{24,}`),
  prefixed('a Stripe secret', 'whsec_', String.raw`[A-Za-z\d+/=]{20,}`),
  prefixed('a SendGrid key', String.raw`SG\.`, String.raw`[\w-]{16,}\.[\w-]{16,}`),
  prefixed('a Vault token', String.raw`hv[sbr]\.`, String.raw`[\w-]{24,}`),
  prefixed('a Telegram bot token', String.raw`\d{8,10}:AA`, String.raw`[\w-]{32,}`),
  { what: 'an age key', pattern: /(?<![\w-])AGE-SECRET-KEY-1[A-Z\d]{20,}/g },
]
