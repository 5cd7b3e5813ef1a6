import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';

/** The parts of the engine that may not know Node: levels 0 to 3. */
const CORE = ['base', 'model', 'protocol', 'rules', 'pipeline', 'capture'].map(
  (folder) => `proxy-engine/${folder}/**/*.ts`,
);

const CLOCKS_AND_CHANCE = [
  { object: 'Date', property: 'now', message: 'Take a clock from the caller.' },
  { object: 'Math', property: 'random', message: 'Take a random source from the caller.' },
  { object: 'performance', property: 'now', message: 'Take a clock from the caller.' },
];

export default ts.config(
  { ignores: ['out/', 'dist/', 'coverage/', '.cache/', 'test-results/', 'node_modules/', 'test/**/fixtures/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ...ts.configs.strict,
  ...ts.configs.stylistic,
  ...svelte.configs.recommended,
  {
    rules: {
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      'no-control-regex': 'off', // control characters are what a proxy looks for
      'object-shorthand': 'error',
      'prefer-template': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    // Rules that need types; the fast and telling ones only.
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { arguments: false, attributes: false } },
      ],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: CORE,
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'Levels 0 to 3 know no Node module.' }] },
      ],
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
      'no-restricted-properties': ['error', ...CLOCKS_AND_CHANCE],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { globals: globals.browser, parserOptions: { parser: ts.parser } },
    rules: {
      'svelte/no-at-html-tags': 'error',
      'svelte/require-each-key': 'error',
      'svelte/prefer-svelte-reactivity': 'off', // state here is replaced, not mutated: $state.raw
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { excludedRunes: ['$props', '$state'] }],
      'no-undef': 'off', // the type check knows better
    },
  },
  { files: ['**/*.ts'], rules: { 'no-undef': 'off' } },
  { files: ['**/*.{js,mjs,cjs}'], languageOptions: { globals: globals.node } },
  {
    // What talks to a terminal by its nature.
    files: ['bin/**', 'bench/**', 'resources/**', 'test/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-empty-function': 'off' },
  },
);
