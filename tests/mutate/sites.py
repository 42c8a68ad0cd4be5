"""Where a program may be changed: every place in the functions of a C file, found in clang's syntax tree.

A site is one small change of one expression or statement. Only what runs is changed: no comment, include, string, declaration,
constant expression (case, enum, static data, sizeof), nor anything inside a function-like macro, such as CHECK.
"""
import hashlib
import json
import os
import re
import shlex
import subprocess

SWAPS = {
    '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '==': ['!='], '!=': ['=='],
    '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '&&': ['||'], '||': ['&&'],
    '&': ['|'], '|': ['&'], '^': ['&'], '<<': ['>>'], '>>': ['<<'],
    '+=': ['-='], '-=': ['+='], '*=': ['/='], '/=': ['*='], '%=': ['*='], '&=': ['|='], '|=': ['&='], '^=': ['|='],
    '<<=': ['>>='], '>>=': ['<<='],
}
# What holds a constant expression, or is no code.
SKIPPED = {'ConstantExpr', 'UnaryExprOrTypeTraitExpr', 'OffsetOfExpr', 'StaticAssertDecl', 'GCCAsmStmt', 'StringLiteral',
           'PredefinedExpr', 'RecordDecl', 'EnumDecl', 'ParmVarDecl'}
STATEMENT_LISTS = {'CompoundStmt', 'IfStmt', 'ForStmt', 'WhileStmt', 'DoStmt', 'CaseStmt', 'DefaultStmt', 'LabelStmt'}
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)


class Site:
    """One change: bytes begin..end of `path` become `text`. `kind`: what sort of change it is."""

    def __init__(self, path, begin, end, function, kind, old, new, statement=False):
        self.path, self.begin, self.end = path, begin, end
        self.function, self.kind, self.old, self.new, self.statement = function, kind, old, new, statement

    def order(self):
        return self.path, self.begin, self.end, self.kind, self.new

    def as_list(self):
        return [self.path, self.begin, self.end, self.function, self.kind, self.old, self.new, self.statement]


def location(place):
    """The offset and length of a token that is written in a file, and whether a macro made it."""
    if 'expansionLoc' in place:
        return place['expansionLoc'], True
    return place, False


def top_declarations(stream, wanted):
    """The functions of the tree that begin in a wanted file, each with that file. The tree of some files is 150 MB long, nearly
    all of it the compiler's own headers: only what is wanted is parsed."""
    path, chunk, include = None, [], False
    for line in stream:
        if line == '    {\n':
            chunk, begin_path = [line], path
            continue
        if chunk:
            chunk.append(line)
        text = line.lstrip()
        if text.startswith('"includedFrom"'):
            include = True
        elif text.startswith('"file": "'):
            if include:
                include = False
            else:
                path = json.loads(text[8:].rstrip().rstrip(','))
        if chunk and line in ('    },\n', '    }\n'):
            if chunk[2].strip() == '"kind": "FunctionDecl",':
                node = json.loads(''.join(chunk).rstrip().rstrip(','))
                spell = node.get('loc', {})
                own = location(spell)[0].get('file', begin_path)
                if own is not None and wanted(own):
                    yield own, node
            chunk = []


class Finder:
    """Collects the sites of one function."""

    def __init__(self, path, shown, text, function, sites):
        self.path, self.shown, self.text, self.function, self.sites = path, shown, text, function, sites

    def span(self, node):
        """The bytes of a node that is written out in the file and more than the name of a macro; else None."""
        place = self.place(node)
        if place is None or all('expansionLoc' in node['range'][side] for side in ('begin', 'end')) and (
                node['range']['begin']['expansionLoc']['offset'] == node['range']['end']['expansionLoc']['offset']):
            return None
        return place

    def place(self, node):
        """The bytes of a node that is written out in the file, the name of a macro included. Else None."""
        if not node.get('range', {}).get('begin'):
            return None
        (begin, _), (end, to_macro) = location(node['range']['begin']), location(node['range']['end'])
        if 'offset' not in begin or 'offset' not in end or end.get('file', self.path) != self.path:
            return None
        if begin.get('isMacroArgExpansion') or end.get('isMacroArgExpansion'):
            return None
        stop = end['offset'] + end['tokLen']
        if to_macro and self.text[stop:stop + 1] == b'(':
            return None
        return begin['offset'], stop

    def piece(self, begin, end):
        return self.text[begin:end].decode()

    def add(self, begin, end, kind, new, statement=False):
        self.sites.append(Site(self.shown, begin, end, self.function, kind, self.piece(begin, end), new, statement))

    def macro_constant(self, node):
        """A number that is written as the name of a macro."""
        begin, end = node['range']['begin'], node['range']['end']
        if 'expansionLoc' not in begin or 'expansionLoc' not in end:
            return False
        first, last = begin['expansionLoc'], end['expansionLoc']
        if 'offset' not in first or first.get('offset') != last.get('offset') or first.get('isMacroArgExpansion'):
            return True
        at, stop = first['offset'], first['offset'] + first['tokLen']
        name, kind = self.piece(at, stop), node.get('type', {})
        if self.text[stop:stop + 1] == b'(' or not re.fullmatch(r'[A-Za-z_]\w*', name) or name in ('NULL', 'INFINITY', 'NAN'):
            return True
        self.number(at, stop, name, kind.get('desugaredQualType', kind.get('qualType', '')))
        return True

    def number(self, begin, end, name, kind):
        if name in ('true', 'false'):
            self.add(begin, end, 'constant', 'false' if name == 'true' else 'true')
        elif '*' in kind or 'struct' in kind or 'union' in kind or '[' in kind or 'vector' in kind:
            return
        elif 'double' in kind or 'float' in kind:
            if re.fullmatch(r'0(\.0*)?', name):
                self.add(begin, end, 'constant', '1.0')
            else:
                self.add(begin, end, 'constant', f'2.0 * {name}')
                self.add(begin, end, 'constant', f'0.5 * {name}')
        else:
            self.add(begin, end, 'constant', f'{name} + 1')
            if not re.fullmatch(r'0[uUlL]*', name):
                self.add(begin, end, 'constant', f'{name} - 1')

    def operator(self, node, span):
        left, right = (self.place(child) for child in node['inner'][:2])
        code = node['opcode']
        if left is None or right is None or code not in SWAPS:
            return
        between = COMMENT.sub(lambda match: ' ' * len(match[0]), self.piece(left[1], right[0]))
        if between.strip() != code:
            return
        pointers = ['*' in child.get('type', {}).get('qualType', '') for child in node['inner'][:2]]
        at = left[1] + between.index(code)
        for other in SWAPS[code]:
            if pointers[0] and code == '-' and pointers[1]:
                continue
            left_text, right_text = self.piece(span[0], at), self.piece(at + len(code), span[1])
            if code in ('&&', '||') and re.search(r'&&|\|\|', left_text + right_text):
                left_text, right_text = f'({left_text.rstrip()}) ', f' ({right_text.lstrip()})'
            self.add(span[0], span[1], 'operator', left_text + other + right_text)

    def expression(self, node, span):
        kind = node['kind']
        if kind in ('BinaryOperator', 'CompoundAssignOperator'):
            self.operator(node, span)
        elif kind == 'UnaryOperator':
            code, text = node['opcode'], self.piece(*span)
            if code in ('!', '-', '~') and text.startswith(code):
                self.add(span[0], span[1], 'operator', text[1:])
            elif code in ('++', '--'):
                other = '--' if code == '++' else '++'
                self.add(span[0], span[1], 'operator', text[:-2] + other if node['isPostfix'] else other + text[2:])
        elif kind in ('IntegerLiteral', 'FloatingLiteral') and re.match(r'[0-9.]', self.piece(*span)):
            self.number(span[0], span[1], self.piece(*span), node['type']['qualType'])
        elif kind == 'DeclRefExpr' and node.get('referencedDecl', {}).get('kind') == 'EnumConstantDecl':
            self.add(span[0], span[1], 'constant', self.piece(*span) + ' + 1')

    def removable(self, node):
        if node['kind'] == 'CStyleCastExpr' and node.get('castKind') == 'ToVoid':
            return node['inner'][0]['kind'] == 'CallExpr'
        if node['kind'] == 'BinaryOperator':
            return node['opcode'] == '='
        if node['kind'] == 'UnaryOperator':
            return node['opcode'] in ('++', '--')
        return node['kind'] in ('CallExpr', 'CompoundAssignOperator', 'ContinueStmt', 'BreakStmt') or (
            node['kind'] == 'ReturnStmt' and not node.get('inner'))

    def statement(self, node):
        span = self.span(node)
        if span is None or not self.removable(node):
            return
        tail = COMMENT.sub(lambda match: ' ' * len(match[0]), self.text[span[1]:span[1] + 400].decode(errors='replace'))
        blank = len(tail) - len(tail.lstrip())
        if tail[blank:blank + 1] == ';':
            self.add(span[0], span[1] + blank + 1, 'statement', '', statement=True)

    def condition(self, node):
        span = self.span(node)
        if span is not None:
            self.add(span[0], span[1], 'condition', '1')
            self.add(span[0], span[1], 'condition', '0')

    def visit(self, node, parent=None):
        kind = node.get('kind')
        if kind is None or kind in SKIPPED or not node.get('range', {}).get('begin'):
            return
        if kind == 'VarDecl' and (node.get('storageClass') == 'static' or node.get('constexpr')):
            return
        children = [child for child in node.get('inner', []) if child.get('kind')]
        if 'expansionLoc' in node['range']['begin'] and 'type' in node and kind != 'VarDecl':
            if self.macro_constant(node):
                return
        if kind == 'CallExpr' and children:
            span = self.span(children[0])
            if span is None or re.match(r'_mm|__builtin', self.piece(*span)):
                return
        span = self.span(node)
        if span is not None and 'type' in node and kind != 'VarDecl':
            self.expression(node, span)
        if kind in STATEMENT_LISTS:
            for child in children:
                if kind not in ('IfStmt', 'WhileStmt', 'ForStmt', 'DoStmt') or child is not children[0]:
                    if kind != 'ForStmt' or child is children[-1]:
                        self.statement(child)
        if kind in ('IfStmt', 'ConditionalOperator') and children:
            self.condition(children[0])
        if kind == 'ReturnStmt' and children and children[0].get('type', {}).get('qualType') in ('bool', '_Bool'):
            inner = self.span(children[0])
            if inner is not None:
                self.add(inner[0], inner[1], 'return', '!(' + self.piece(*inner) + ')')
        for child in children:
            self.visit(child, node)


def clang_flags(command):
    """Of a compiler's command line what a syntax tree depends on."""
    words, flags, i = shlex.split(command), [], 0
    while i < len(words):
        if words[i] in ('-isystem', '-I', '-D', '-include'):
            flags += words[i:i + 2]
            i += 1
        elif words[i].startswith(('-I', '-D', '-std=')) and 'NDEBUG' not in words[i] and 'FORTIFY' not in words[i]:
            flags.append(words[i])
        i += 1
    return flags + ['-DNDEBUG']


def sites_of_file(root, entry, folders, clang):
    """All sites that one compiled file has in the folders, its headers included."""
    def wanted(name):
        shown = os.path.relpath(os.path.join(entry['directory'], name), root)
        return any(shown == folder or shown.startswith(folder + '/') for folder in folders)

    command = [clang, '-fsyntax-only', '-w', '-Xclang', '-ast-dump=json', *clang_flags(entry['command']), entry['file']]
    texts, sites = {}, []
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=entry['directory'], text=True) as process:
        for name, node in top_declarations(process.stdout, wanted):
            full = os.path.join(entry['directory'], name)
            if full not in texts:
                with open(full, 'rb') as file:
                    texts[full] = file.read()
            finder = Finder(name, os.path.relpath(full, root), texts[full], node.get('name', '?'), sites)
            for child in node.get('inner', []):
                if child.get('kind') == 'CompoundStmt':
                    finder.visit(child)
    if process.returncode != 0:
        raise SystemExit(f'mutate: {clang} does not read {entry["file"]}')
    return sites


def cached_sites(job):
    """Sites of a file, from the cache if neither it nor a header of it has changed. `job` is one tuple, for a pool's map."""
    root, entry, folders, clang, texts, cache = job
    digest = hashlib.sha256(b'\0'.join([texts, repr(folders).encode(), entry['file'].encode()])).hexdigest()
    place = os.path.join(cache, digest + '.json')
    if os.path.exists(place):
        with open(place) as file:
            return json.load(file)
    rows = [site.as_list() for site in sites_of_file(root, entry, folders, clang)]
    with open(place + '.new', 'w') as file:
        json.dump(rows, file)
    os.replace(place + '.new', place)
    return rows
