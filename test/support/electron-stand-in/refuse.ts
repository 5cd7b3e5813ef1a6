/**
 * Wraps a part of the stand-in, so that using what it does not have fails by name and not as `undefined`. Writing is
 * allowed: tests replace members as they do in the real thing.
 */
export function refuseTheRest<T extends object>(name: string, part: T): T {
  return new Proxy(part, {
    get(target, key) {
      const known = key in target || typeof key === 'symbol' || key === 'then' || key === 'toJSON';
      if (!known)
        throw new Error(`The Electron stand-in has no ${name}.${key}. Add it, or test this in real Electron.`);
      const value: unknown = Reflect.get(target, key, target);
      // Private fields want the object itself; a class keeps its identity.
      return typeof value === 'function' && key !== 'constructor' ? (value.bind(target) as unknown) : value;
    },
    set(target, key, value) {
      return Reflect.set(target, key, value, target);
    },
  });
}
