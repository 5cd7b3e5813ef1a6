import {
  HighlightStyle,
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  syntaxHighlighting,
} from '@codemirror/language';
import type { LanguageSupport } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { createFindPanel } from './code-find-panel.ts';
import { INVISIBLE_CHARACTERS, codePointName } from './visible-text.ts';

/** Languages that bodies are highlighted in. */
export type CodeLanguage = 'json' | 'html' | 'css' | 'javascript' | 'xml' | 'text';

const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.propertyName, tags.attributeName, tags.className, tags.labelName], color: 'var(--redirect)' },
  { tag: [tags.string, tags.attributeValue, tags.regexp], color: 'var(--ok)' },
  { tag: [tags.number, tags.unit, tags.color], color: 'var(--warn)' },
  {
    tag: [tags.keyword, tags.bool, tags.null, tags.tagName, tags.atom, tags.definitionKeyword, tags.modifier],
    color: 'var(--stream)',
  },
  { tag: [tags.comment, tags.processingInstruction, tags.documentMeta], color: 'var(--text-3)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--pane)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'var(--type-mono)', fontVariantLigatures: 'none', overflow: 'auto' },
  '.cm-content': { padding: '4px 0 12px', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 16px 0 4px' },
  '.cm-gutters': { backgroundColor: 'var(--pane)', color: 'var(--text-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '36px', padding: '0 4px 0 8px' },
  '.cm-foldGutter .cm-gutterElement': { width: '14px', textAlign: 'center', cursor: 'default' },
  '.cm-foldPlaceholder': {
    margin: '0 2px',
    padding: '0 4px',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius-control)',
    backgroundColor: 'var(--raised)',
    color: 'var(--text-2)',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-matchingBracket': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected-idle)', outline: 'none' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent' },
  '.cm-searchMatch': { backgroundColor: 'var(--hit)', color: 'var(--text)' },
  '.cm-searchMatch *': { color: 'var(--text)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--accent)', backgroundColor: 'var(--hit)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.named': {
    margin: '0 1px',
    padding: '0 2px',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius-control)',
    backgroundColor: 'var(--raised)',
    color: 'var(--warn)',
    font: 'var(--type-caption)',
  },
  '.fold': { display: 'inline-block', color: 'var(--text-3)' },
  '.fold:hover': { color: 'var(--text)' },
});

async function languageSupport(language: CodeLanguage): Promise<LanguageSupport | null> {
  switch (language) {
    case 'json':
      return (await import('@codemirror/lang-json')).json();
    case 'html':
      return (await import('@codemirror/lang-html')).html();
    case 'css':
      return (await import('@codemirror/lang-css')).css();
    case 'javascript':
      return (await import('@codemirror/lang-javascript')).javascript({ jsx: true, typescript: true });
    case 'xml':
      return (await import('@codemirror/lang-xml')).xml();
    case 'text':
      return null;
  }
}

function nameOf(code: number, description: string | null): HTMLElement {
  const chip = document.createElement('span');
  chip.className = 'named';
  chip.textContent = codePointName(String.fromCodePoint(code));
  chip.title = description ?? chip.textContent;
  chip.setAttribute('aria-label', chip.title);
  return chip;
}

function foldMarker(open: boolean): HTMLElement {
  const marker = document.createElement('span');
  marker.className = 'fold';
  marker.textContent = open ? '⌄' : '›';
  marker.title = open ? 'Fold' : 'Unfold';
  return marker;
}

/** Puts the cursor at an end of the text; a browser alone would only reach the end of what is drawn. */
function goTo(end: 'start' | 'end'): (view: EditorView) => boolean {
  return (view) => {
    view.dispatch({ selection: { anchor: end === 'start' ? 0 : view.state.doc.length }, scrollIntoView: true });
    return true;
  };
}

const EXTENSIONS: Extension = [
  lineNumbers(),
  codeFolding({ placeholderText: '…' }),
  foldGutter({ markerDOM: foldMarker }),
  drawSelection(),
  bracketMatching(),
  EditorState.readOnly.of(true),
  EditorView.lineWrapping,
  highlightSpecialChars({
    specialChars: INVISIBLE_CHARACTERS,
    render: (code, description) => nameOf(code, description),
  }),
  syntaxHighlighting(HIGHLIGHT),
  search({ top: true, createPanel: createFindPanel }),
  keymap.of([
    {
      key: 'Mod-a',
      run: (view) => {
        view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
        return true;
      },
    },
    { key: 'Ctrl-Home', mac: 'Cmd-ArrowUp', run: goTo('start') },
    { key: 'Ctrl-End', mac: 'Cmd-ArrowDown', run: goTo('end') },
    ...searchKeymap.filter(({ key }) => key !== 'Mod-Alt-g' && key !== 'Alt-g' && key !== 'Mod-d'),
    ...foldKeymap,
  ]),
  THEME,
];

/** A read-only text with line numbers, folding, highlighting and a find panel, mounted in a shadow root of its own. */
export class CodeEditor {
  readonly #view: EditorView;
  readonly #language = new Compartment();
  readonly #label = new Compartment();
  #languageName: CodeLanguage = 'text';

  /**
   * @param host gets the shadow root: styles made at run time live there as constructed style sheets, which the page's
   * content security policy allows
   * @param onplace called with the place of the cursor, in UTF-16 units, when the reader puts it elsewhere
   */
  constructor(host: HTMLElement, onplace: (offset: number) => void = () => undefined) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    root.replaceChildren();
    const placed = EditorView.updateListener.of(({ selectionSet, docChanged, state }) => {
      if (selectionSet && !docChanged) onplace(state.selection.main.head);
    });
    this.#view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ extensions: [EXTENSIONS, placed, this.#language.of([]), this.#label.of([])] }),
    });
  }

  /** Shows another text, from its beginning; where a text has only grown, the reader's place stays. */
  show(text: string, language: CodeLanguage, label: string): void {
    const { state } = this.#view;
    const shown = state.doc.length > 0 && language === this.#languageName ? state.doc.toString() : '';
    if (shown !== '' && text.startsWith(shown)) {
      this.#view.dispatch({ changes: { from: state.doc.length, insert: text.slice(shown.length) } });
      return;
    }
    this.#view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: 0 },
      effects: this.#label.reconfigure(EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })),
    });
    // Only the text scrolls to its beginning; whatever the editor stands in stays where it is.
    this.#view.scrollDOM.scrollTop = 0;
    if (language !== this.#languageName) void this.#setLanguage(language);
  }

  /** Selects and scrolls to a range, in UTF-16 units. */
  reveal(from: number, to: number): void {
    const { length } = this.#view.state.doc;
    const anchor = Math.min(from, length);
    const head = Math.min(to, length);
    this.#view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }

  async #setLanguage(language: CodeLanguage): Promise<void> {
    this.#languageName = language;
    const support = await languageSupport(language);
    if (this.#languageName !== language) return;
    this.#view.dispatch({ effects: this.#language.reconfigure(support ?? []) });
  }
}
