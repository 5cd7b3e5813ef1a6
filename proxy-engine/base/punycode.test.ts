import { describe, expect, test } from 'vitest';
import { toAsciiHost } from './punycode.ts';

describe('the ASCII form of a host name', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com.', 'example.com.'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['ｅｘａｍｐｌｅ.com', 'example.com'],
    ['пример.испытание', 'xn--e1afmkfd.xn--80akhbyknj4f'],
    ['مثال.إختبار', 'xn--mgbh0fb.xn--kgbechtv'],
    ['☃.net', 'xn--n3h.net'],
    ['💩.la', 'xn--ls8h.la'],
    ['他们为什么不说中文', 'xn--ihqwcrb4cv8a8dqg056pqjye'],
    ['Pročprostěnemluvíčesky', 'xn--proprostnemluvesky-uyb24dma41a'],
  ])('%s is %s', (name, expected) => {
    expect(toAsciiHost(name)).toBe(expected);
  });

  test('does not exist for names with an empty or overlong label', () => {
    expect(toAsciiHost('a..b')).toBeNull();
    expect(toAsciiHost(`${'ü'.repeat(80)}.test`)).toBeNull();
  });

  test('agrees with the URL parser', () => {
    for (const name of ['münchen.de', 'ÆØÅ.no', '日本語.jp', 'Ελλάδα.gr', 'ñandú.cl', 'straße.de']) {
      expect(toAsciiHost(name)).toBe(new URL(`http://${name}`).hostname);
    }
  });
});
