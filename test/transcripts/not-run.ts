/**
 * The lines of the documentation that no test runs as written, and why.
 */
export const NOT_RUN: ReadonlyMap<string, string> = new Map([
  ['npm ci && npm start', 'installs; .ci/run does it, and the tour runs beside `npm start`'],
  ['npm ci && npm test', 'would run this test within itself; .ci/run does it'],
  ['agentd setup', 'asks a person on a terminal; a test of its own answers it there'],
  ['git pull', 'needs a forge'],
  ['sudo apt install nats-server openssl', 'installs'],
  ['agentd link hub run', 'goes on until it is ended; test/cli/commands/link runs it'],
  ['scp -p ~/.config/agentd/hub/devbox.link devbox:', 'needs another machine'],
  ['agentd link add home devbox.link --allow all', 'is for another machine'],
  [
    'agentd org request ~acme --node box --to bob.request',
    'is for another person; test/cli/commands/link/members-hear does it',
  ],
  [
    'agentd org invite bob.request --role dev --to bob.invitation',
    'answers another person; test/cli/commands/link/members-hear does it',
  ],
  [
    'agentd accord request acme_globex --node box --to alice.request',
    'is for a member of an organisation with an accord, and a hub of the other; cli/commands/link/accord runs it',
  ],
  ['agentd accord invite alice.request --to alice.invitation', 'is for the other side of that'],
  ['agentd link add acme bob.invitation --allow all', 'is for another person, as the two before it'],
  ['agentd ask "who is there?"', 'is for another machine'],
  ['npm ci', 'would empty the folder of the packages this test runs with; .ci/run does it'],
  ['npm run build', 'would write the files that other tests are running; .ci/run does it'],
  ['npm test', 'would run this test within itself; .ci/run does it'],
  ['npm run check', 'reads every file, for half a minute; .ci/run does it'],
  ['.ci/run', 'runs this test, and much else'],
  [
    'npm run mutate -- --file src/broker/session --file src/broker/audience --file src/broker/submit --sample 80 --seed 1',
    'takes half an hour',
  ],
])
