/** KDE's `kreadconfig` over files named as the keys; a key that is not in the file has an empty one here. */
export const KREADCONFIG = `
key=; unset=
while [ $# -gt 0 ]; do
  case "$1" in --key) key=$2; shift ;; --default) unset=$2; shift ;; esac
  shift
done
if [ -s "state/$key" ]; then cat "state/$key"; echo; else printf '%s\\n' "$unset"; fi`;

/** KDE's `kwriteconfig` over the same files. */
export const KWRITECONFIG = `
change
key=; value=
while [ $# -gt 0 ]; do
  case "$1" in
    --key) key=$2; shift ;;
    --file|--group) shift ;;
    --delete) value= ;;
    *) value=$1 ;;
  esac
  shift
done
printf '%s' "$value" > "state/$key"`;
