/** Words that stand everywhere. */
export const COMMON_TEXT = {
  product: 'Weir',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  copy: 'Copy',
  messages: 'Messages',
  chooseFile: 'Choose a file…',
  noFile: 'No file chosen',
} as const;
