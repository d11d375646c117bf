cd ~
cd ~/x ~user ~user/x ~+ ~- ~1
cd "~" '~' \~ a~ ~"x"
x=~ y=~/a:~/b z=a:~
echo a=~/x --b=~/x
export P=~/x:~/y
rm {~,~/x}/y
echo ~$x
echo ${x:-~}
> ~/x
