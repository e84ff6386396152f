"""The words of a formula say everything that the formula shows, including how its parts are grouped."""

from __future__ import annotations

import itertools
from functools import cache
from html import escape
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.formulas import mathml, spoken

Tree: TypeAlias = "str | tuple[Tree, ...]"
"""A letter, or the LaTeX of a construct followed by its parts."""


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"x", "x"),
        (r"x = -1.5", "x equals minus 1.5"),
        (r"q \cdot k", "q dot k"),
        (r"2ab", "2 a b"),
        # roots and fractions
        (r"\sqrt{d_k}", "the square root of d sub k"),
        (r"\sqrt{d_k + 1}", "the square root of the quantity d sub k plus 1, end root"),
        (r"\sqrt[3]{x}", "the cube root of x"),
        (r"\sqrt[n]{x}", "the nth root of x"),
        (r"\frac{a}{b}", "a over b"),
        (r"\frac{x_t + 1}{n_t + 1}", "the fraction x sub t plus 1 over n sub t plus 1, end fraction"),
        (r"(x_t+1)/(n_t+1)", "open paren x sub t plus 1 close paren divided by open paren n sub t plus 1 close paren"),
        (r"x_t + 1/n_t + 1", "x sub t plus 1 divided by n sub t plus 1"),
        (r"\frac{\frac{a}{b}}{c}", "the fraction a over b, all over c, end fraction"),
        (r"\frac{a}{\frac{b}{c}}", "the fraction a, all over b over c, end fraction"),
        (r"\binom{n}{k}", "n choose k"),
        (r"\binom{n+1}{k}", "the binomial n plus 1 choose k, end binomial"),
        # scripts
        (r"x^2 + y^3 + 2^n", "x squared plus y cubed plus 2 to the n"),
        (r"x^{n+1}", "x to the power n plus 1, end power"),
        (r"x^n + 1", "x to the n plus 1"),
        (r"10^{-7}", "10 to the minus 7"),
        (r"x_{i+1}", "x sub i plus 1, end sub"),
        (r"x_{i_j}", "x sub i sub j, end sub"),
        (r"x_i^2", "x sub i squared"),
        (r"W^Q_i", "W sub i superscript Q"),
        (r"h^{(l)}", "h superscript open paren l close paren"),
        (r"h^{\text{dec}}", "h superscript dec"),
        (r"(a+b)^2", "open paren a plus b close paren squared"),
        (r"\left(\frac{a}{b}\right)^2", "open paren a over b close paren squared"),
        (r"{\sqrt{x}}^2", "the quantity the square root of x, end quantity squared"),
        (r"A^\top B^\intercal C^\mathsf{T}", "A transposed B transposed C transposed"),
        (r"f'(x) + f''", "f prime of x plus f double prime"),
        (r"x'_i + f'^2", "x sub i prime plus f prime squared"),
        (r"90^\circ", "90 degrees"),
        (r"{}^3x", "superscript 3 x"),
        (r"\prescript{a}{b}{X}", "pre sub b superscript a X"),
        # sums, products, integrals and limits
        (r"\sum_{i=1}^{n} x_i^2", "the sum from i equals 1 to n of x sub i squared"),
        (r"\sum_{i=1}^{n-1} i", "the sum from i equals 1 to n minus 1 of i"),
        (r"\prod_i x_i", "the product over i of x sub i"),
        (r"\int_0^1 f(x)\,dx", "the integral from 0 to 1 of f of x d x"),
        (r"\lim_{n \to \infty} x_n", "the limit as n goes to infinity of x sub n"),
        (r"\operatorname{argmax}_x f", "arg max over x of f"),
        # functions
        (r"f(x)", "f of x"),
        (r"f(x+1)", "f of open paren x plus 1 close paren"),
        (r"x(y+1)", "x open paren y plus 1 close paren"),
        (r"\sin x + \cos(x)", "sine x plus cosine of x"),
        (r"\log_2 n", "log sub 2 n"),
        (r"\mathrm{softmax}(QK^\top/\sqrt{d})V",
         "softmax of open paren Q K transposed divided by the square root of d close paren V"),
        (r"P(A \mid B)", "P of open paren A given B close paren"),
        (r"P(A|B)", "P of open paren A given B close paren"),
        # bars, brackets and sets
        (r"|x| + 2|y|", "the absolute value of x plus 2 the absolute value of y"),
        (r"\left|\frac{a}{b}\right|", "the absolute value of the quantity a over b, end absolute value"),
        (r"\|x\|_2", "the norm of x, end norm sub 2"),
        (r"\lVert x+y \rVert^2", "the norm of the quantity x plus y, end norm squared"),
        (r"\lfloor n/2 \rfloor", "the floor of the quantity n divided by 2, end floor"),
        (r"\lceil n \rceil", "the ceiling of n"),
        (r"\mathrm{KL}(p\|q)", "KL of open paren p double vertical bar q close paren"),
        (r"[0, 1)", "open bracket 0, 1 close paren"),
        (r"\{x \mid x > 0\}", "open brace x such that x is greater than 0 close brace"),
        (r"\{x | |x| < 1\}", "open brace x such that the absolute value of x is less than 1 close brace"),
        (r"\langle x, y \rangle", "open angle bracket x, y close angle bracket"),
        (r"\left.\frac{a}{b}\right|_{x=0}", "a over b vertical bar sub x equals 0, end sub"),
        # relations and arrows
        (r"a \neq b \leq c \approx d", "a does not equal b is at most c is about d"),
        (r"a := b", "a is defined as b"),
        (r"x \in \mathbb{R}^{n \times d}", "x in double-struck R to the power n times d, end power"),
        (r"f\colon A \to B", "f: A goes to B"),
        (r"A \xrightarrow{f} B", "A goes to with f above B"),
        (r"\not\ll", "is not much less than"),
        # accents and other parts above or below
        (r"\hat{x} + \bar{y} + \vec{v}", "x hat plus y bar plus v arrow"),
        (r"\dot{x}y", "x with a dot above y"),
        (r"\overline{x+y}", "the quantity x plus y, end quantity bar"),
        (r"\overset{a}{b} + \underset{c}{d}", "b with a above plus d with c below"),
        (r"\boxed{a+b}", "boxed the quantity a plus b, end box"),
        # matrices and lines
        (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}^\top", "the 2 by 2 matrix a, b; c, d, end matrix transposed"),
        (r"\begin{vmatrix}a&b\\c&d\end{vmatrix}", "the determinant of the 2 by 2 matrix a, b; c, d, end matrix"),
        (r"\begin{bmatrix}a&\\&b\end{bmatrix}", "the 2 by 2 matrix a, blank; blank, b, end matrix"),
        (r"\begin{cases}1, & x > 0\\0 & \text{else}\end{cases}",
         "the cases 1, x is greater than 0; 0, else, end cases"),
        (r"\begin{aligned}a&=b\\&=c\end{aligned}", "a equals b; equals c"),
        # letters, digits and text
        (r"\alpha\Delta\lambda\varphi", "alpha Delta lambda phi"),
        (r"\mathbf{x}\boldsymbol{\alpha}\mathcal{L}\mathbb{E}", "bold x bold alpha script L double-struck E"),
        (r"n\text{-gram}", "n-gram"),
        (r"a \text{ if } b", "a if b"),
        (r"1{,}048{,}576", "1,048,576"),
        (r"1, 2, \dots, n", "1, 2, dots, n"),
        (r"3.1\%", "3.1 percent"),
        (r"x^*", "x superscript star"),
        (r"x²", "x superscript two"),
        (r"\query{Q}\key{K}^\top", "Q K transposed"),
        (r"a \boxplus b", "a squared plus b"),
        (r"\phantom{x}", ""),
    ],
)  # fmt: skip
def test_a_formula_has_these_words(latex: str, words: str) -> None:
    assert mathml.words(latex) == words


LETTERS = ("a", "f", "c")
ROW, SUM_OF_TWO, SUB, SUPER, BOTH = "□ □", "□ + □", "{□}_{□}", "{□}^{□}", "{□}_{□}^{□}"
PAIRED = (ROW, SUM_OF_TWO, SUB, SUPER, r"\frac{□}{□}", r"\sum_{□}^{□}", r"\binom{□}{□}")
ALONE = (r"\sqrt{□}", "(□)")


def shape(construct: str, *parts: Tree) -> Tree:
    """Return the same formula for all that look the same, such as nested rows, and scripts in either order."""
    if construct in (ROW, SUM_OF_TWO):
        first, second = (part[1:] if part[0] == ROW else (part,) for part in parts)
        return (ROW, *first, *construct.split("□")[1].split(), *second)
    base, script = parts
    if {construct, base[0]} == {SUB, SUPER} and isinstance(base[1], str):
        scripts = {construct: script, str(base[0]): base[2]}
        return (BOTH, base[1], scripts[SUB], scripts[SUPER])
    return (construct, *parts)


def latex(tree: Tree) -> str:
    if isinstance(tree, str):
        return tree
    construct, *parts = tree
    written = " ".join("□" for _ in parts) if construct == ROW else str(construct)
    for part in parts:
        written = written.replace("□", latex(part), 1)
    return written


@cache
def trees(letters: tuple[str, ...]) -> frozenset[Tree]:
    """Return all formulas with these letters in this order."""
    formulas: set[Tree] = set(letters if len(letters) == 1 else ())
    for cut in range(1, len(letters)):
        parts = itertools.product(PAIRED, trees(letters[:cut]), trees(letters[cut:]))
        formulas |= {shape(construct, first, second) for construct, first, second in parts}
    return frozenset(formulas | {(construct, part) for construct in ALONE for part in formulas if letters != LETTERS})


def test_formulas_that_look_different_have_different_words() -> None:
    spoken_trees = {tree: mathml.words(latex(tree)) for tree in trees(LETTERS)}
    by_words: dict[str, Tree] = {}
    same = [
        (words, latex(tree), latex(by_words[words]))
        for tree, words in spoken_trees.items()
        if by_words.setdefault(words, tree) != tree
    ]
    assert len(spoken_trees) > 5000
    assert same == []


@given(st.characters(exclude_categories=["C", "Z", "M"]))
def test_every_visible_character_has_words(character: str) -> None:
    for tag in ("mi", "mo"):
        words = spoken.words(f"<math><{tag}>{escape(character)}</{tag}></math>")
        assert words.strip("\u2060")


def test_a_formula_that_is_nested_too_deeply_is_reported() -> None:
    with pytest.raises(ValueError, match=r"^0: its parts are nested too deeply; split it into several formulas$"):
        mathml.words("x^{" * 600 + "y" + "}" * 600)
