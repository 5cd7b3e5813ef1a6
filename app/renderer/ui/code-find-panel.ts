import {
  SearchQuery,
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  setSearchQuery,
} from '@codemirror/search';
import type { EditorView, Panel, ViewUpdate } from '@codemirror/view';

/** Matches are counted up to here; past it the panel says "1,000+". */
const MOST_COUNTED = 1_000;

const STYLE = `
.find { display: flex; align-items: center; gap: 4px; padding: 4px 8px; font: var(--type-list); }
.find input { flex: 1; min-width: 60px; height: 24px; padding: 0 8px; border: 1px solid var(--control-border);
  border-radius: var(--radius-control); background: var(--pane); color: var(--text); font: inherit; outline: none; }
.find input:focus { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.find output { min-width: 64px; color: var(--text-2); text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.find button { min-width: 24px; height: 24px; padding: 0 6px; border: 0; border-radius: var(--radius-control);
  background: none; color: var(--text-2); font: inherit; cursor: default; }
.find button:hover { background: var(--hover); color: var(--text); }
.find button:focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; }
.find button[aria-pressed='true'] { background: var(--selected-idle); color: var(--text); }
`;

function button(text: string, label: string, run: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = text;
  element.title = label;
  element.setAttribute('aria-label', label);
  element.addEventListener('click', run);
  return element;
}

/** The find panel above a text: a field, "3 of 17", previous, next, match case, close. */
export function createFindPanel(view: EditorView): Panel {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  if (view.root instanceof ShadowRoot) view.root.adoptedStyleSheets.push(sheet);

  const field = document.createElement('input');
  field.setAttribute('aria-label', 'Find in this text');
  field.setAttribute('main-field', 'true');
  field.placeholder = 'Find';
  field.spellcheck = false;
  const count = document.createElement('output');
  const matchCase = button('Aa', 'Match case', () => {
    commit(matchCase.getAttribute('aria-pressed') !== 'true');
  });
  const dom = document.createElement('div');
  dom.className = 'find';
  dom.setAttribute('role', 'search');
  dom.append(
    field,
    count,
    matchCase,
    button('↑', 'Previous match (Shift Enter)', () => findPrevious(view)),
    button('↓', 'Next match (Enter)', () => findNext(view)),
    button('✕', 'Close (Esc)', () => {
      closeSearchPanel(view);
      view.focus();
    }),
  );

  function commit(caseSensitive: boolean): void {
    view.dispatch({
      effects: setSearchQuery.of(new SearchQuery({ search: field.value, caseSensitive, literal: true })),
    });
  }

  function showQuery(query: SearchQuery): void {
    if (query.search !== field.value) field.value = query.search;
    matchCase.setAttribute('aria-pressed', String(query.caseSensitive));
  }

  function showCount(): void {
    const query = getSearchQuery(view.state);
    if (query.search === '') {
      count.textContent = '';
      return;
    }
    const { main } = view.state.selection;
    const cursor = query.getCursor(view.state);
    let total = 0;
    let current = 0;
    for (let match = cursor.next(); match.done !== true && total < MOST_COUNTED; match = cursor.next()) {
      total++;
      if (match.value.from === main.from && match.value.to === main.to) current = total;
    }
    const shown = total >= MOST_COUNTED ? `${MOST_COUNTED.toLocaleString('en')}+` : String(total);
    count.textContent = total === 0 ? 'No match' : current === 0 ? shown : `${String(current)} of ${shown}`;
  }

  field.addEventListener('input', () => {
    commit(getSearchQuery(view.state).caseSensitive);
    findNext(view);
  });
  dom.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === field) {
      event.preventDefault();
      if (event.shiftKey) findPrevious(view);
      else findNext(view);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      closeSearchPanel(view);
      view.focus();
    }
  });
  showQuery(getSearchQuery(view.state));
  showCount();

  return {
    dom,
    top: true,
    mount: () => {
      field.select();
    },
    update: (update: ViewUpdate) => {
      const changed = update.transactions.some((transaction) =>
        transaction.effects.some((effect) => effect.is(setSearchQuery)),
      );
      if (changed) showQuery(getSearchQuery(update.state));
      if (changed || update.selectionSet || update.docChanged) showCount();
    },
    destroy: () => {
      if (view.root instanceof ShadowRoot) {
        view.root.adoptedStyleSheets = view.root.adoptedStyleSheets.filter((other) => other !== sheet);
      }
    },
  };
}
