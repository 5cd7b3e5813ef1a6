// The layers of ARCHITECTURE.md as rules. Every import must be named here: what is not allowed is an error, and so is a
// file that no rule covers.

const TEST = '\\.test\\.ts$';
const ENGINE_DOOR = '^proxy-engine/index\\.ts$';
const BATCHES_DOOR = '^proxy-engine/batches\\.ts$';

/** One line of the map: files of `from` may import `to` (and, always, their own folder through `self`). */
const line = (from, to) => ({ from: { path: from, pathNot: TEST }, to: { path: to } });

/** Packages and Node's modules, as dependency-cruiser resolves them. */
const packages = (...names) => names.map((name) => `^node_modules/${name}/`);
const NODE_MODULES = { dependencyTypes: ['core'] };
const node = (from, pathNot = '^$') => ({ from: { path: from, pathNot: `${TEST}|${pathNot}` }, to: NODE_MODULES });

const MODEL = '^proxy-engine/model/';
const BASE = '^proxy-engine/base/';
const PROTOCOL = '^proxy-engine/protocol/';
const RULES = '^proxy-engine/rules/';
const PIPELINE = '^proxy-engine/pipeline/';
const CAPTURE = '^proxy-engine/capture/';
const PKI = '^proxy-engine/pki/';
const NET = '^proxy-engine/net/';
const LEVEL_0 = [BASE, MODEL];
const LEVEL_1 = [...LEVEL_0, PROTOCOL];
const LEVEL_2 = [...LEVEL_1, RULES];
const LEVEL_3 = [...LEVEL_2, PIPELINE, CAPTURE];

/** Every place where a file may stand. */
const COVERED = [
  '^(proxy-engine|app/(contract|main|backend|cli|preload|renderer)|bench|test)/',
  '^bin/([^/]+\\.mjs|dev/[^/]+\\.ts)$',
  '^resources/',
  '^[^/]+\\.config\\.(js|mjs|ts)$',
  '^\\.dependency-cruiser\\.mjs$',
].join('|');

export default {
  allowedSeverity: 'error',
  allowed: [
    // The engine: levels 0 to 4; folders of one level do not know each other.
    line(BASE, BASE),
    line(MODEL, MODEL),
    { from: { path: '^proxy-engine/protocol/([^/]+)/', pathNot: TEST }, to: { path: '^proxy-engine/protocol/$1/' } },
    line(PROTOCOL, LEVEL_0),
    line(RULES, [...LEVEL_1, RULES]),
    line(PIPELINE, [...LEVEL_2, PIPELINE]),
    // The seam between the two folders of level 3: the pipeline knows the tap's shape, never its code.
    {
      from: { path: PIPELINE, pathNot: TEST },
      to: { path: '^proxy-engine/capture/tap\\.ts$', dependencyTypes: ['type-only'] },
    },
    line(CAPTURE, [...LEVEL_2, CAPTURE]),
    line(PKI, [...LEVEL_3, PKI, ...packages('node-forge', '@types/node-forge')]),
    line(NET, [...LEVEL_3, NET]),
    node([PKI, NET]),
    // engine.ts is the shape of the engine, index.ts composes it and is the door; batches.ts is the store thread's own.
    line('^proxy-engine/engine\\.ts$', LEVEL_3),
    line(ENGINE_DOOR, '^proxy-engine/'),
    line(BATCHES_DOOR, [CAPTURE, PROTOCOL]),
    node('^proxy-engine/[^/]+\\.ts$'),

    // The contract takes shapes from the engine's model and nothing else.
    line('^app/contract/', ['^app/contract/', MODEL, ...packages('valibot')]),

    // The backend: parts do not know the services that use them.
    line('^app/backend/store/', [
      '^app/backend/store/',
      BATCHES_DOOR,
      ...packages('better-sqlite3', '@types/better-sqlite3'),
    ]),
    line('^app/backend/platform/', '^app/backend/platform/'),
    // The certificates of a Firefox profile are an SQLite file.
    line('^app/backend/platform/firefox-trust\\.ts$', packages('better-sqlite3', '@types/better-sqlite3')),
    line('^app/backend/internal-pages/', '^app/backend/internal-pages/'),
    // What a .proto says is read by a parser of others; what is made of it is ours.
    line('^app/backend/protos/', ['^app/backend/protos/', ...packages('protobufjs')]),
    line('^app/backend/transport/', ['^app/backend/transport/', ...packages('ws', '@types/ws')]),
    line('^app/backend/(services/|[^/]+\\.ts$)', '^app/backend/'),
    line('^app/backend/services/replay/', packages('http2-wrapper', 'ws', '@types/ws')),
    line('^app/backend/', [ENGINE_DOOR, '^app/contract/', ...packages('valibot')]),
    line('^app/cli/', ['^app/cli/', '^app/backend/', ENGINE_DOOR, '^app/contract/', ...packages('ws', '@types/ws')]),
    node(['^app/backend/', '^app/cli/']),

    // Electron: only main and preload know it; main hosts the backend as a process and imports none of it.
    line('^app/main/(shell/|[^/]+\\.ts$)', ['^app/main/', '^app/contract/', ...packages('electron')]),
    node('^app/main/'),
    line('^app/preload/', ['^app/preload/', '^app/contract/', ...packages('electron')]),

    // The inspector reaches the backend by the contract alone.
    line('^app/renderer/', [
      '^app/contract/',
      ...packages(
        'svelte',
        '@lucide/svelte',
        'bits-ui',
        '@codemirror/[^/]+',
        '@lezer/[^/]+',
        '@fontsource-variable/[^/]+',
        '@readme/httpsnippet',
      ),
    ]),
    // Components are dumb; state knows no component; features and the frame put them together.
    line('^app/renderer/ui/', '^app/renderer/(ui|text)/'),
    line('^app/renderer/(model|host|text)/', '^app/renderer/(model|host|text)/'),
    line('^app/renderer/(features/|shell/|[^/]+$)', '^app/renderer/'),

    // Benchmarks are processes of their own; they start Weir as a user does.
    line('^bench/', ['^bench/', ENGINE_DOOR, '^app/contract/']),
    // The scale benchmark fills and asks the store itself, with what the tests of the store have for that.
    line('^bench/scale', ['^app/backend/store/', '^test/support/']),
    node(['^bench/', '^resources/', '^bin/']),
    line('^bin/', '^bin/'),
    line('^bin/dev/', ['^app/(backend|contract)/', ...packages('vite', '@sveltejs/vite-plugin-svelte')]),
    line('^resources/', ['^resources/', '^test/support/', ...packages('playwright-core')]),

    // Tests may look anywhere; what they prove is their own business.
    { from: { path: [TEST, '^test/'] }, to: {} },
    // Configuration of tools.
    { from: { path: '^[^/]+\\.config\\.(js|mjs|ts)$' }, to: { path: ['^node_modules/', '^resources/shipped\\.ts$'] } },
    node('^[^/]+\\.config\\.(js|mjs|ts)$'),
  ],
  forbidden: [
    {
      name: 'every-file-has-a-place',
      comment: 'A new folder or file kind needs a line in the map above.',
      severity: 'error',
      from: { orphan: true, pathNot: COVERED },
      to: {},
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '(.+)' },
      // A component may show itself inside itself: a tree, a menu in a menu.
      to: { circular: true, pathNot: '^$1$', viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      from: { path: '^(proxy-engine|app|bin)/', pathNot: TEST },
      to: { path: [TEST, '^test/'] },
    },
    {
      name: 'no-development-packages-in-the-backend',
      severity: 'error',
      from: { path: '^(proxy-engine|app/(backend|cli|contract))/', pathNot: TEST },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist|coverage|\\.cache)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'svelte', 'browser', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.svelte', '.json'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
    builtInModules: { add: [] },
  },
};
